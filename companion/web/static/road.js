// A road tile as the server writes it (companion.board.notation), and which two sides a road can join.

// No road joins two neighbouring sides.
export const areNext = (one, other) => [1, 5].includes(Math.abs(one - other));

export function roadOf(color, terrain, sides) {
  const edges = [...sides].sort((one, other) => one - other);
  return { kind: "road", color, terrain, shape: edges[1] - edges[0] === 3 ? "straight" : "bend", edges };
}
