"""How the reader's learnt opinion is trained: examples drawn and photographed, the networks, their fit."""
