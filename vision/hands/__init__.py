"""Hands over the board, and pictures in which nothing moves."""
