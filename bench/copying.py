"""Whether a model copies what it is given: names that are in none of its training texts, numbers, single letters.

python -m bench.copying [en-de]
"""

from __future__ import annotations

import argparse
import random
import re
from string import ascii_letters

from viz_transformer import load

# Neither in train.tsv, nor in the phrasebook, nor among the names that are exchanged.
NAMES = [
    "Rajesh", "Kowalczyk", "Mbali", "Oluwaseun", "Xiomara", "Thorvald", "Aiyana", "Fatoumata", "Giancarlo",
    "Ignatius", "Jacinta", "Leocadia", "Magdalena", "Nikhil", "Ottoline", "Priyanka", "Roswitha", "Tadeusz",
    "Yevgeny", "Zuleika", "Amadou", "Birgitta", "Clotilde", "Faisal", "Henrietta", "Ottavio", "Umberto", "Vikram",
    "Yolanda", "Zbigniew", "Fitzgerald", "Hofstadter", "Johansson", "Kaminski", "MacDonald", "Rodriguez",
    "Wozniak",
]  # fmt: skip
COUNT = 60  # numbers from 0 to 9999
NUMBERS = [str(number) for number in random.Random(0).sample(range(10_000), COUNT)]
FORMS = {
    "My name is {}.": NAMES,
    "{} lives in Berlin.": NAMES,
    "I saw {} yesterday.": NAMES,
    "The house number is {}.": NUMBERS,
    "There are {} people here.": NUMBERS,
    "The answer is {}.": ascii_letters,
    "The letter {} is missing.": ascii_letters,
}


def main() -> None:
    """Prints a line for each sentence."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", default="en-de", help="that reads English; a shipped one or a folder")
    translator = load(parser.parse_args().model, "cpu")
    for form, words in FORMS.items():
        copied = [word for word in words if re.search(rf"\b{word}\b", translator.translate(form.format(word)))]
        print(f"{form} {len(copied)} of {len(words)}")


if __name__ == "__main__":
    main()
