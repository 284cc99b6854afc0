"""What is said at the table: what happened, what stands before the button, what is wrong and what was lost."""

from __future__ import annotations

from collections.abc import Mapping

from companion.words.catalogues import Message

#: The sentences of events, of what stands before the button and of the score, by their code.
EVENTS: Mapping[str, Message] = {
    # NOTE: "G7: Ada and Bo go into box city 2, 4 gold each": the scoring box for two merchants in a city.
    "account": Message(
        "{cell}: {merchants} goes into box {settlement} {number}, {gold}",
        "{cell}: {merchants} go into box {settlement} {number}, {gold} each",
    ),
    # NOTE: Nick Danger's game: "G7: Ada (2) and Bo; Ada has the majority, one merchant goes into box city 3, 3 gold".
    "account-majority": Message(
        "{cell}: {merchants}; {player} has the majority, one merchant goes into box {settlement} {number}, {gold}"
    ),
    "account-nothing": Message("{cell}: no gold for {merchants}, put the merchants aside"),
    # NOTE: Nick Danger's game: {gold} is "3 gold".
    "account-stayed": Message(
        "{player}: {count} merchant still on a workshop, minus {gold}",
        "{player}: {count} merchants still on workshops, minus {gold}",
    ),
    # NOTE: Nick Danger's game: {merchants} is "Ada (2) and Bo (2)".
    "account-tie": Message("{cell}: a tie between {merchants}, so no gold; put the merchants aside"),
    # NOTE: {gold} is "5 gold", {days} is "3 days left".
    "account-total": Message("{player}: {gold}, {days}"),
    # NOTE: {cost} is "6 days", {left} is "2 left".
    "built": Message("{player}: that is right, it cost {cost}, {left}"),
    "camera-back": Message("The camera sees the table again"),
    "camera-lost": Message("The camera cannot see the table"),
    "camera-turned": Message("The camera hangs the other way round than at the set-up; I go on reading"),
    "camera-upright": Message("The camera hangs again as it did at the set-up"),
    "cannot-accept": Message("This cannot be let stand: put the earlier pieces back first"),
    "cells-to-clear": Message("First clear this cell: {cells}", "First clear these cells: {cells}"),
    "corrected": Message("Put right: {cells}"),
    "deal-hidden": Message("The settlements cannot be seen: please take your hands away"),
    "deal-refused": Message("The settlements are not dealt right"),
    "deal-unclear": Message("The settlements cannot be made out: please look at {cells}"),
    "dealt": Message("The game begins: {players}"),
    # NOTE: Remarks on a deal: what may make the game hard to read. None of them keeps anybody from playing.
    "deal-darker": Message("It is darker than when the pieces were taught: more light would help"),
    "deal-brighter": Message("It is brighter than when the pieces were taught: less light would help"),
    "deal-layout": Message("The board pieces lie otherwise than before, and how was seen"),
    "deal-layout-unknown": Message("How the board pieces lie cannot be made out yet"),
    "deal-poor": Message(
        "The settlement on {cells} can hardly be told: more light, or teaching it anew, would help",
        "The settlements on {cells} can hardly be told: more light, or teaching them anew, would help",
    ),
    # NOTE: {players} are the names of those whose day-track markers are meant.
    "deal-tracks": Message("The track of {players} can hardly be read", "The tracks of {players} can hardly be read"),
    # NOTE: The players and the companion: some pieces lie otherwise than they should.
    "disagrees": Message("The table and I disagree"),
    "ended": Message("The game was ended early"),
    "game-over": Message("The game has ended"),
    "hidden": Message("{player}: something covers the board, take it away and say done again"),
    "illegal": Message("{player}: that is not allowed"),
    # NOTE: A press of the button.
    "lapsed": Message("That press did not count: the table never came to rest; say done again"),
    "lapsed-hidden": Message("That press did not count: something covers {cells}, take it away and say done again"),
    "legal": Message("{player}: that is right"),
    "let-stand": Message("{player}: the table lets it stand"),
    "marker": Message("{player}'s marker stands on {shown} and should stand on {right}"),
    "marker-missing": Message("{player}'s marker is not on its track and should stand on {right}"),
    # NOTE: Nick Danger's game: a marker on an unused colour's track counts the rounds still to be played.
    "marker-rounds": Message("The marker that counts the rounds stands on {shown} and should stand on {right}"),
    "no-game": Message("No game has begun yet: deal the settlements and start one"),
    "no-reading": Message("The board has not been seen yet"),
    "not-paused": Message("The game is not paused"),
    # NOTE: Ada is in turn, and the pieces that were laid are Bo's.
    "not-yours": Message("It is {player}'s turn; these are {owner}'s"),
    "nothing-offered": Message("There is nothing to say yes to"),
    "nothing-to-accept": Message("There is nothing to let stand"),
    "nothing-to-undo": Message("There is nothing to take back"),
    "paused": Message("The game is paused"),
    "reread": Message("From now on it counts as it lies: {cells}"),
    "rereading": Message(
        "{cell}: was this misread, {count} move ago? As it lies now everything since is right too",
        "{cell}: was this misread, {count} moves ago? As it lies now everything since is right too",
    ),
    "resumed": Message("The game goes on"),
    # NOTE: {days} is "6 days".
    "saved": Message("{player} builds nothing and keeps {days}"),
    "saving": Message("{player}: nothing was laid. Save the days?"),
    # NOTE: {players} is "Ada, then Bo".
    "sequence": Message("Somebody forgot to say done: {players}?"),
    "sequence-saving": Message("{player} builds nothing and saves his days"),
    "shared": Message("{players} share the win"),
    # NOTE: One cell that may have been misread, and what would lie on it then; "it" is the move that was refused.
    "suggest": Message("If {cell} was misread, it would be right"),
    "suggest-bare": Message("If nothing lies on {cell}, it would be right"),
    "suggest-before": Message("If {cell} is as it was before, it would be right"),
    # NOTE: {merchants} is "1 merchant".
    "suggest-fewer": Message("If {cell} holds {merchants} fewer, it would be right"),
    "suggest-more": Message("If {cell} holds {merchants} more, it would be right"),
    "suggest-owner": Message("If the tile on {cell} belongs to {owner}, it would be right"),
    "suggest-turned": Message("If the road on {cell} runs another way, it would be right"),
    "taken-up": Message("The game goes on where it stopped"),
    # NOTE: {note} says what was lost: one of the sentences on the logbook.
    "taken-up-lost": Message("The game goes on; not everything was kept: {note}"),
    # NOTE: {players} are two or more names, {gold} is "23 gold".
    "tie-days": Message("{players} have {gold} each: more days left decide"),
    # NOTE: {days} is "6 days".
    "turn": Message("It is {player}'s turn, with {days}"),
    "unclear": Message("{player}: please look at {cells}"),
    "unclear-heaps": Message("{player}: please spread the merchants out on {cells}"),
    "undone": Message("Taken back"),
    "undone-to": Message("Taken back; {player} moves again"),
    "unfinished": Message("{player}: the road is not finished"),
    "win": Message("{player} wins"),
    "workshop": Message("{player} places a workshop"),
}

#: What is wrong, by code: with the camera, with the board in its picture, with the logbook.
TROUBLES: Mapping[str, Message] = {
    "starting": Message("The camera is starting"),
    "missing": Message("There is no camera; is it plugged in?"),
    "busy": Message("Another program has the camera"),
    "silent": Message("The camera gives no picture any more; check its cable"),
    "frozen": Message("The camera shows the same picture over and over; check its cable"),
    "black": Message("The camera sees black; is its lens covered, or the light out?"),
    "size": Message(
        "The camera's pictures have another shape than at the set-up; use that size, or set the table up anew."
    ),
    # NOTE: {why} is what the system says, in English.
    "fault": Message("The camera gives no picture: {why}"),
    "out-of-sight": Message("The board is out of sight; is all of it in the picture, and is there light?"),
    "unreadable": Message("The picture could not be read; I try the next one"),
    "full": Message("The disk is full: the game goes on, but is not written down until there is room"),
    "read-only": Message("The logbook cannot be written: the game goes on, but is not written down"),
    "locked": Message("Another program holds the logbook: the game goes on, and is written down once it is free"),
    "damaged": Message("The logbook is damaged: what can be read is being copied to a new one"),
    "slow": Message("The disk is slow: what was decided last may not be written down yet"),
    "pictures": Message("There is no room for more pictures: what happens is written down without them"),
    "failed": Message("Writing the logbook failed: the game goes on, and it is tried again"),
    "moved": Message(
        "Camera, board or light are not as when this table was set up: "
        "I may misread it until they are, or it is set up anew"
    ),
    "unusable": Message(
        "The table that was chosen last is damaged and cannot be used; "
        "choose another one in the set-up, or set it up anew"
    ),
    # NOTE: "Keeper" is a page; a button there says "Start everything again".
    "safe-mode": Message(
        "Safe mode: three starts in a row failed, so camera, lamps and button are left out. "
        "On the page Keeper go on by hand or, once cables and power are checked, start everything again"
    ),
    "closed": Message("The camera is left out in safe mode"),
    # NOTE: "Keeper" is a page, "Done" a button there.
    "pins": Message(
        "Lamps, buzzer and button cannot be used: tap Done on the page Keeper. "
        "The command strada panel test says what is wrong"
    ),
    "clock": Message("The clock was set anew: the game goes on as before; keepers may be asked for the PIN again"),
    # NOTE: The settings are a file, strada.toml; "last good" are those with which Strada ran the last time.
    "settings": Message(
        "The settings file cannot be used, so the last good settings are in force. "
        "The command strada doctor says what is wrong with it"
    ),
}

#: While the companion learns what the pieces look like on its table: the headline, and what it does.
GETTING_READY = Message("Getting ready")
LEARNING = Message("Learning what the pieces look like on this table …")

#: A command named what does not exist; what is wrong with it follows.
IMPOSSIBLE = Message("That cannot be done")
# NOTE: {why} is technical, in English: only a program can have asked for that.
NOT_UNDERSTOOD = Message("That could not be understood: {why}")

#: What is wrong with what people asked for, by the code of its BadInputError; what else a program may get wrong.
COMPLAINTS: Mapping[str, Message] = {
    # NOTE: A cell's name that is none, and the names of the board's first and last cell.
    "no-cell": Message("'{name}' is no cell of this board; its cells run from {first} to {last}"),
    "no-name": Message("Player {seat} has no name; each player should have one"),
    "player-count": Message("A game is played by {least} to {most}"),
    "same-color": Message("Two players have the same colour; each should have his own"),
    "same-name": Message("Two players are called {name}; each should have a name of his own"),
    # NOTE: A rule set and the number of players: {seats} is "2" or "3 and 4".
    "seats": Message("Not {players} but {seats} play by these rules; choose others, or other players"),
}

#: What was lost of the logbook or put right in it, by the code of `companion.events.Loss`.
# NOTE: {aside} is the folder in which the damaged file is kept; {lost} of {of} entries are lost.
LOSSES: Mapping[str, Message] = {
    "end": Message("The end of the logbook was damaged and is kept in {aside}; entries lost: {lost} of {of}"),
    "gone": Message("The logbook was gone; a new one is begun"),
    "salvaged": Message("The logbook was damaged and is kept in {aside}; what could be read of it is in a new one"),
    "salvaged-part": Message(
        "The logbook was damaged and is kept in {aside}; what could be read of it is in a new one; "
        "entries lost: {lost} of {of}"
    ),
    "unread": Message(
        "The logbook was damaged and is kept in {aside}; nothing of it could be read, so a new one is begun"
    ),
}
