"""What is said at the table: what happened, what shows before the button is pressed, what is wrong or lost.

Also the names of the table's parts in Home Assistant, by the names in its discovery (hub/home.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.words.catalogues import Message

#: The sentences of events, of what shows before the button is pressed, and of the score, by their code.
EVENTS: Mapping[str, Message] = {
    # NOTE: "G7: Ada and Bo go into box city 2, 4 gold each": the scoring box for two merchants in a city.
    "account": Message(
        "{cell}: {merchants} goes into {settlement} box {number}: {gold}",
        "{cell}: {merchants} share {settlement} box {number}: {gold} each",
    ),
    # NOTE: Nick Danger's game: "G7: Ada (2) and Bo; Ada has the majority, one merchant goes into box city 3, 3 gold".
    "account-majority": Message(
        "{cell}: {merchants}. {player} has the majority, so one merchant goes into {settlement} box {number}: {gold}"
    ),
    "account-nothing": Message("{cell}: no gold for {merchants}, so put the merchants aside"),
    # NOTE: Nick Danger's game: {gold} is "3 gold".
    "account-stayed": Message(
        "{player}: {count} merchant still on a workshop, minus {gold}",
        "{player}: {count} merchants still on workshops, minus {gold}",
    ),
    # NOTE: Nick Danger's game: {merchants} is "Ada (2) and Bo (2)".
    "account-tie": Message("{cell}: no gold for {merchants}, because it is a tie. Put the merchants aside"),
    # NOTE: {gold} is "5 gold", {days} is "3 days left".
    "account-total": Message("{player}: {gold}, {days}"),
    # NOTE: {cost} is "6 days", {left} is "2 left".
    "built": Message("{player}: that move is legal. It cost {cost}, {left}"),
    "camera-back": Message("The camera sees the table again"),
    "camera-lost": Message("The camera cannot see the table"),
    "camera-turned": Message("The camera is the other way up than at the set-up, but I can still read the board"),
    "camera-upright": Message("The camera is the same way up as at the set-up again"),
    "cannot-accept": Message("This cannot be accepted: put the earlier pieces back first"),
    "cells-to-clear": Message("First clear this cell: {cells}", "First clear these cells: {cells}"),
    "corrected": Message("Corrected: {cells}"),
    # NOTE: A press of the button, while the verdict on another one was on its way.
    "crossed": Message("Another press came too soon and did not count. If you meant it, press again"),
    "deal-hidden": Message("I can’t see the settlements: please take your hands away"),
    "deal-refused": Message("The settlements are not dealt correctly"),
    "deal-unclear": Message("I can’t make out the settlements: please check {cells}"),
    "dealt": Message("The game begins: {players}"),
    "named": Message("Who plays: {players}"),
    # NOTE: Remarks on a deal: what may make the game hard to read. None of them keeps anybody from playing.
    "deal-darker": Message("It is darker than when you taught the pieces: more light would help"),
    "deal-brighter": Message("It is brighter than when you taught the pieces: less light would help"),
    "deal-layout": Message("The board is put together differently; I have worked out how"),
    "deal-layout-unknown": Message("I can’t make out yet how the board is put together"),
    "deal-poor": Message(
        "I can hardly make out the settlement on {cells}: more light, or teaching it again, would help",
        "I can hardly make out the settlements on {cells}: more light, or teaching them again, would help",
    ),
    # NOTE: {players} are the names of those whose day-track markers are meant.
    "deal-tracks": Message(
        "I can hardly read the day track of {players}", "I can hardly read the day tracks of {players}"
    ),
    # NOTE: The players and the companion: some pieces lie otherwise than they should.
    "disagrees": Message("The table and I disagree"),
    "ended": Message("The game ended early"),
    "game-over": Message("The game has ended"),
    "hidden": Message("{player}: a hand is in the way. Take it away and say done again"),
    "illegal": Message("{player}: that move is not legal"),
    # NOTE: A press of the button.
    "lapsed": Message("That press did not count, because the table never came to rest. Say done again"),
    "lapsed-hidden": Message(
        "That press did not count, because something covers {cells}. Take it away and say done again"
    ),
    "legal": Message("{player}: that move is legal"),
    "let-stand": Message("{player}: accepted by the table"),
    "marker": Message("{player}’s marker is on {shown} and should be on {right}"),
    "marker-missing": Message("{player}’s marker is not on its track. It should be on {right}"),
    # NOTE: Nick Danger's game: a marker on an unused colour's track counts the rounds still to be played.
    "marker-rounds": Message("The marker that counts the rounds is on {shown} and should be on {right}"),
    "no-game": Message("No game has begun yet: deal the settlements and start one"),
    "no-reading": Message("I have not seen the board yet"),
    "not-paused": Message("The game is not paused"),
    # NOTE: Ada is in turn, and the pieces that were laid are Bo's.
    "not-yours": Message("It is {player}’s turn, but these pieces are {owner}’s"),
    "nothing-offered": Message("There is nothing to say yes to"),
    "nothing-to-accept": Message("There is nothing to accept"),
    "nothing-to-undo": Message("There is nothing to take back"),
    "paused": Message("The game is paused"),
    "reread": Message("Confirmed: {cells}"),
    "rereading": Message(
        "{cell}: did I misread this {count} move ago? As it is now, every move since is legal too",
        "{cell}: did I misread this {count} moves ago? As it is now, every move since is legal too",
    ),
    "resumed": Message("The game goes on"),
    # NOTE: {days} is "6 days".
    "saved": Message("{player} builds nothing and keeps {days}"),
    "saving": Message("{player}: nothing was laid. Save the days?"),
    # NOTE: {players} is "Ada, then Bo".
    "sequence": Message("Did somebody forget to say done: {players}?"),
    "sequence-saving": Message("{player} builds nothing and saves their days"),
    "shared": Message("{players} share the win"),
    # NOTE: One cell that may have been misread, and what would lie on it then; "it" is the move that was refused.
    "suggest": Message("If I misread {cell}, the move is legal"),
    "suggest-bare": Message("If {cell} is empty, the move is legal"),
    "suggest-before": Message("If {cell} is as it was before, the move is legal"),
    # NOTE: {merchants} is "1 merchant".
    "suggest-fewer": Message("If {cell} has {merchants} fewer, the move is legal"),
    "suggest-more": Message("If {cell} has {merchants} more, the move is legal"),
    "suggest-owner": Message("If the tile on {cell} is {owner}’s, the move is legal"),
    "suggest-turned": Message("If the road on {cell} runs another way, the move is legal"),
    "taken-up": Message("The game goes on where it stopped"),
    # NOTE: {note} says what was lost: one of the sentences on the logbook.
    "taken-up-lost": Message("The game goes on, but not everything was kept: {note}"),
    # NOTE: {players} are two or more names, {gold} is "23 gold".
    "tie-days": Message("{players} have {gold} each, so the most days left wins"),
    # NOTE: {days} is "6 days".
    "turn": Message("It is {player}’s turn: {days}"),
    "unclear": Message("{player}: please check {cells}"),
    "unclear-heaps": Message("{player}: please spread the merchants out on {cells}"),
    "undone": Message("Taken back"),
    "undone-to": Message("Taken back. {player} moves again"),
    "set-back": Message(
        "Part of the logbook was lost, so the game goes on as it stood before. What came after is kept, "
        "but no longer counts"
    ),
    "unfinished": Message("{player}: the road is not finished"),
    # NOTE: A move that was refused, or asked about in vain; then other players moved.
    "went-on": Message("{player}: the table went on, so the earlier move stands as it lies"),
    "win": Message("{player} wins"),
    "workshop": Message("It is {player}’s turn: place a workshop"),
}

#: What is wrong with the camera, with the board in its picture, or with the logbook, by code.
TROUBLES: Mapping[str, Message] = {
    "starting": Message("The camera is starting"),
    "missing": Message("There is no camera. Is it plugged in?"),
    "busy": Message("Another program is using the camera"),
    "silent": Message("The camera has stopped sending pictures. Check its cable"),
    "frozen": Message("The camera keeps sending the same picture. Check its cable"),
    "black": Message("The camera sees only black. Is the lens covered, or the light off?"),
    "size": Message(
        "The camera’s pictures are not the size they were at the set-up. Use that size, or set up the table again"
    ),
    # NOTE: {why} is what the system says, in English.
    "fault": Message("There is no picture from the camera: {why}"),
    "out-of-sight": Message("I can’t see the board. Is all of it in the picture, and is there light?"),
    "unreadable": Message("I couldn’t read that picture. I’ll try the next one"),
    "full": Message("The disk is full. The game goes on, but it is not saved until there is room"),
    "read-only": Message("The logbook cannot be written. The game goes on, but it is not saved"),
    "locked": Message(
        "Another program is using the logbook. The game goes on, and is saved as soon as the logbook is free"
    ),
    "damaged": Message("The logbook is damaged. I am copying what can be read to a new one"),
    "slow": Message("The disk is slow. The latest decisions may not be saved yet"),
    "pictures": Message("There is no room for more pictures. The game is saved without them"),
    "failed": Message("The logbook could not be written. The game goes on, and I keep trying"),
    "moved": Message(
        "The camera, the board or the light is not as it was at the set-up. I may misread "
        "the table until it is, or until you set it up again"
    ),
    "unusable": Message(
        "The chosen table is damaged and cannot be used. Choose another one on the Set-up page, or set it up again"
    ),
    # NOTE: "Start page" is an entry of the menu.
    "no-ground": Message(
        "I don’t know this board’s terrain yet. Set the table up once: choose Start page in the menu, then "
        "Set up my table. A phone’s photographs will do. After that I can keep its games by hand"
    ),
    # NOTE: "Keeper" is a page; a button there says "Start everything again".
    "safe-mode": Message(
        "Safe mode: three starts in a row failed, so the camera, lamps and button are off. "
        "You can go on by hand on the Keeper page. Or check the cables and the power, then "
        "start everything again there"
    ),
    "closed": Message("The camera is off in safe mode"),
    # NOTE: "Keeper" is a page, "Done" a button there.
    "pins": Message(
        "The lamps, the buzzer and the button cannot be used. Tap Done on the Keeper page "
        "instead. The command strada panel test says what is wrong"
    ),
    "clock": Message("The clock was changed. The game goes on as before. Keepers may have to enter the PIN again"),
    # NOTE: The settings are a file, strada.toml; "last good" are those with which Strada ran the last time.
    "settings": Message(
        "The settings file cannot be used, so the last good settings are in use. The command "
        "strada doctor says what is wrong with it"
    ),
}

#: While the companion learns what the pieces look like on its table: the headline, and what it is doing.
GETTING_READY = Message("Getting ready")
LEARNING = Message("Learning what the pieces look like on this table …")

#: A command named something that does not exist; what is wrong with it follows.
IMPOSSIBLE = Message("That is not possible")
# NOTE: {why} is technical, in English: only a program can have asked for that.
NOT_UNDERSTOOD = Message("I did not understand that: {why}")

#: What is wrong with what people asked for, by the code of its BadInputError. Only programs can make other mistakes.
COMPLAINTS: Mapping[str, Message] = {
    # NOTE: A cell's name that is none, and the names of the board's first and last cell.
    "no-cell": Message("There is no cell “{name}” on this board. Its cells run from {first} to {last}"),
    "player-count": Message("A game is for {least} to {most} players"),
    "no-such-game": Message("There is no game {game} in the logbook"),
    "newest-game": Message("Game {game} is the newest, and the table goes on with it. Deal the next game first"),
    "not-restored": Message("The logbook is busy, or its disk is full, so nothing is restored. Try again in a minute"),
    "still-deleting": Message("This is still being deleted. Look again in a minute"),
    "not-deleted": Message("The logbook is busy, so this is not deleted. Try again in a minute"),
    "not-noted": Message("The logbook is busy, or its disk is full, so nothing is changed. Try again in a minute"),
    # NOTE: Two names are said to be one person, and both of them played in that game.
    "two-people": Message("{old} and {new} played against each other in game {game}, so they are two people"),
    "no-person": Message("Nobody called {name} has played here"),
    "color-name": Message("{name} is a colour. Choose another name"),
    "same-color": Message("Two players have the same colour. Each needs their own"),
    "same-name": Message("Two players are called {name}. Each needs their own name"),
    # NOTE: A hub shows many tables in one room; a table joins it with a pairing code from the hub's screen.
    "hub-address": Message("That is not the address of a hub"),
    "hub-code": Message("A pairing code has eight letters and digits, such as K7RM-2XQP"),
    "hub-refused": Message("The hub did not take this code. Ask its organiser for a new one"),
    "hub-unreachable": Message("No hub answers at this address"),
    "hub-not-kept": Message("The table cannot keep which hub it belongs to. Its disk may be full"),
    "hub-password": Message("A password has {least} to {most} characters"),
    "hub-no-name": Message("An organiser needs a name"),
    "hub-many-codes": Message("Too many codes are open. Use one of them, or wait"),
    # NOTE: A list of players, or a CSV file: {value} is what that line says.
    "csv-columns": Message("Line {line}: “{value}” is one column too many. A line has a name, and perhaps a club"),
    "csv-no-name": Message("Line {line}: “{value}” has no name before it"),
    "csv-long": Message("Line {line}: “{value}” is too long. At most {most} characters fit"),
    "csv-odd": Message("Line {line}: “{value}” has a character that cannot be shown"),
    "csv-twice": Message("Line {line}: “{value}” is there twice. Tell them apart with a second name"),
    "csv-quote": Message("Line {line}: “{value}” has a quotation mark that does not end"),
    "csv-many": Message("Line {line}: a tournament has at most {most} players"),
    "tournament-gone": Message("There is no such tournament any more"),
    "tournament-many": Message("Too many tournaments are kept. Delete one first"),
    "tournament-count": Message("A tournament has {least} to {most} rounds"),
    "tournament-tables": Message("A tournament has {least} to {most} tables"),
    "tournament-rounds": Message("All rounds are drawn. The settings say how many there are"),
    "tournament-few": Message("A round needs at least two players"),
    "tournament-drawn": Message("Somebody else has just drawn this round"),
    "tournament-moved": Message("Somebody came or left while the round was drawn. Draw it again"),
    "tournament-results": Message("A round with results cannot be taken back. Correct its results instead"),
    "tournament-gold": Message("Say how much gold each player has"),
    "hub-account-taken": Message("Somebody of this name has an account already"),
    "hub-last-account": Message("Somebody has to organise. Make another organiser first"),
    "forget-name": Message("Say which name is to be forgotten"),
    "hub-account-forgotten": Message("This name is forgotten here. Allow it again first"),
    "forget-account": Message("Somebody of this name has an account. Delete it first"),
    "forget-busy": Message("The name is replaced, but the database’s file is in use. Forget it once more"),
    "forget-many": Message("So many names are forgotten that no more can be"),
    "season-days": Message("A season needs a first and a last date"),
    "season-order": Message("This season ends before it begins. Change its dates"),
    "season-many": Message("Too many seasons are kept. Delete one first"),
    "tournament-why": Message("Say why the result changes"),
    # NOTE: A rule set and the number of players: {seats} is "2" or "3 and 4".
    "seats": Message("These rules are for {seats} players, not {players}. Choose other rules, or other players"),
}

#: What was lost of the logbook, or put right in it, by the code of `companion.events.Loss`.
# NOTE: {aside} is the folder in which the damaged file is kept; {lost} of {of} entries are lost, or no longer count.
LOSSES: Mapping[str, Message] = {
    "end": Message("The end of the logbook was damaged and is kept in {aside}. Entries lost: {lost} of {of}"),
    "gone": Message("The logbook was gone, so there is a new one"),
    "salvaged": Message("The logbook was damaged and is kept in {aside}. What could be read is in a new one"),
    "salvaged-part": Message(
        "The logbook was damaged and is kept in {aside}. What could be read is in a new one. "
        "Entries lost: {lost} of {of}"
    ),
    "set-back": Message(
        "Part of the logbook was damaged and is kept in {aside}. The game goes on as it stood before. "
        "Entries that no longer count: {lost} of {of}"
    ),
    "unread": Message(
        "The logbook was damaged and is kept in {aside}. Nothing in it could be read, so there is a new one"
    ),
}


ENTITIES: Mapping[str, Message] = {
    "player": Message("Player in turn"),
    "days": Message("Travel days"),
    "phase": Message("Game"),
    "lamp": Message("Lamp"),
    "verdict": Message("Verdict"),
    "camera": Message("Camera problem"),
    "referee": Message("Referee wanted"),
    "far": Message("How far the game is"),
    "done": Message("Turn finished"),
    "yes": Message("Yes"),
    "accept": Message("Accept the move"),
    "undo": Message("Take back the move"),
    "pause": Message("Pause"),
    "resume": Message("Go on"),
}
