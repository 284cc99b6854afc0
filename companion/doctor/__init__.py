"""What is wrong with the machine under the companion, and what to do: each check looks at one thing, changing nothing.

`examine` runs the checks; what they find is worded by companion.words.
"""

from companion.doctor.checks import Check, Surroundings, checks, examine
from companion.doctor.machine import Account, Finding, Grade, Machine, Ran

__all__ = ["Account", "Check", "Finding", "Grade", "Machine", "Ran", "Surroundings", "checks", "examine"]
