"""How the reader's learned opinion is trained: examples drawn and photographed, the network, its fit."""
