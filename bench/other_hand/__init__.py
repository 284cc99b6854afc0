"""Printings drawn by another hand than tablegen's, to try the reader on drawings that it never learnt from.

tablegen still decides what lies where, the wood, the room, the light and the camera, and renders the photographs. What
is printed on board and tiles is drawn here, with nothing of tablegen's drawings, in manners that it does not have.
"""
