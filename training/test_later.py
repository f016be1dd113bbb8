"""Tests of later.py, pack.py and of what train.py does with pairs, on texts written for them."""

import sys
import unittest
from pathlib import Path
from random import Random

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import later  # noqa: E402
import negatives  # noqa: E402
import pack  # noqa: E402
import splits  # noqa: E402
from ranking import balanced, refused  # noqa: E402

PASSAGE = {"title": "Boats", "section": "Mooring fees", "text": "All boats pay a fee of twenty crowns."}


class Conversations(unittest.TestCase):
    def test_the_last_question_stands_last(self) -> None:
        self.assertEqual(later.conversation(["what is the mooring fee"], "and in winter?"), "what is the mooring fee? and in winter?")
        self.assertEqual(later.conversation(["Is it paid?"], "until when"), "Is it paid? until when")
        self.assertEqual(later.conversation([], " until when "), "until when")

    def test_no_more_than_two_earlier_ones_and_their_ends(self) -> None:
        made = later.conversation(["first", "second " + "x" * 500, "third"], "last")
        self.assertNotIn("first", made)
        self.assertTrue(made.endswith("third? last"))
        self.assertLess(len(made), 330)


class Shown(unittest.TestCase):
    def test_headings(self) -> None:
        made = {later.headed(PASSAGE, Random(seed)) for seed in range(60)}
        text = PASSAGE["text"]
        self.assertEqual(made, {text, f"Mooring fees: {text}", f"Boats: Mooring fees: {text}"})
        self.assertEqual(later.headed({**PASSAGE, "title": "", "section": ""}, Random(1)), text)

    def test_typing(self) -> None:
        made = later.mistyped("when is the harbour closed", Random(3))
        self.assertEqual(sorted(made), sorted("when is the harbour closed"))
        self.assertEqual(later.mistyped("who is it", Random(3)), "who is it")
        typist = later.Typist(Random(1))
        typist.is_lower, typist.is_careless = True, False
        self.assertEqual(typist("Who pays the Fee?"), "who pays the fee")

    def test_evidence(self) -> None:
        self.assertEqual(later.span_of("All boats pay.", "boats"), (4, 9))
        self.assertIsNone(later.span_of("All boats pay.", "ships"))


class Pairs(unittest.TestCase):
    def test_twins_share_a_pair(self) -> None:
        rows = [
            {"id": "1", "a": "who pays", "b": "B", "y": 1},
            {"id": "2", "a": "who never pays", "b": "B", "y": 0, "twin": "1"},
            {"id": "3", "a": "who paid", "b": "another", "y": 0, "twin": "1"},
            {"a": "who", "b": "C", "y": 0, "task": "support", "grp": 7},
        ]
        found = later.twins_of(rows)
        self.assertEqual(found[0], found[1])
        self.assertNotIn(2, found)
        self.assertIn("who", found[3])

    def test_versions_of_a_passage_are_in_one_part(self) -> None:
        parts = {splits.later_part("condaqa", {"grp": 5, "b": text}) for text in ("a", "b", "c")}
        self.assertEqual(len(parts), 1)

    def test_packing_keeps_pairs_whole(self) -> None:
        unit = np.repeat(np.arange(200), 2)
        rows = pack.chosen(np.zeros(400, dtype=int), unit, np.array([0.5]), np.array([False]), 1.0, np.random.default_rng(1))
        self.assertTrue(all(np.bincount(unit[rows], minlength=200) % 2 == 0))
        self.assertTrue(120 < len(rows) < 280)

    def test_packing_keeps_the_texts(self) -> None:
        held = {name: np.array([0, 1, 2]) for name in pack.COLUMNS}
        held.update(a=np.array([0, 1, 0]), b=np.array([2, 3, 3]), tokens=np.arange(10, dtype=np.uint16), offsets=np.array([0, 2, 4, 7, 10]))
        small = pack.smaller(held, np.array([1, 2]))
        self.assertEqual(small["tokens"].tolist(), [0, 1, 2, 3, 7, 8, 9])
        self.assertEqual((small["a"].tolist(), small["b"].tolist()), ([1, 0], [2, 2]))


class Search(unittest.TestCase):
    def test_words_find_their_passage(self) -> None:
        documents = {"a": ("Fees", "boats pay a fee"), "b": ("Fish", "trout and salmon"), "c": ("", "the fee of a salmon")}
        found = list(negatives.found_by_words(documents, [{"query": "What fee do boats pay?"}, {"query": "salmon"}]))
        self.assertEqual(found[0][0], "a")
        self.assertEqual(set(found[1]), {"b", "c"})


class Measures(unittest.TestCase):
    def test_refused_and_balanced(self) -> None:
        scores, labels = np.array([3.0, 2.0, 1.0, 0.0]), np.array([1, 1, 0, 0])
        self.assertEqual(balanced(scores, labels), 1.0)
        self.assertEqual(balanced(-scores, labels), 0.5)
        self.assertEqual(refused(scores, labels, 0.05), 1.0)


try:
    import torch

    import train
except ImportError:  # the rest needs none
    torch = None


@unittest.skipIf(torch is None, "needs torch")
class Training(unittest.TestCase):
    def test_units_stay_together_in_an_epoch_and_in_batches(self) -> None:
        pair = np.array([-1, 0, 1, 0, -1, 1, 1, -1])
        unit = train.units(pair)
        self.assertEqual(len(set(unit)), 5)
        numbers = train.in_units(np.array([1, 2, 1, 2, 1, 1, 1, 3]), unit, np.random.default_rng(4))
        self.assertEqual(len(numbers), 12)
        places = np.flatnonzero(np.isin(numbers, (2, 5, 6)))
        self.assertEqual(places.max() - places.min(), 2)
        chunk = np.array([0, 2, 5, 6, 1, 3])
        made = train.split(chunk, np.full(6, 16), unit[chunk], 48)
        self.assertEqual([batch.tolist() for batch in made], [[0], [2, 5, 6], [1, 3]])

    def test_the_loss_on_pairs(self) -> None:
        fields = {"pair": torch.tensor([3, 3, -1, 4]), "y": torch.tensor([1, 0, 0, 1])}
        apart = train.pair_loss(torch.tensor([9.0, -9.0, 9.0, -9.0]), fields)
        turned = train.pair_loss(torch.tensor([-9.0, 9.0, 9.0, -9.0]), fields)
        self.assertLess(apart.item(), 1e-3)
        self.assertGreater(turned.item(), 15)

    def test_every_group_has_a_rate(self) -> None:
        for group in ("authored/claim", "answer/squad2-train", "found/authored", "same/paws", "tune/authored/claim", "support/paws"):
            for table in (train.RATES, train.HELD_SHARE, train.TEACHER_SHARE):
                train.by_prefix(table, group)
        self.assertEqual(train.by_prefix(train.HELD_SHARE, "answer-human/squad2-train"), 0.0)

    def test_between_two_judges(self) -> None:
        last, first = {"x": torch.tensor([2.0]), "same.x": torch.tensor([2.0])}, {"x": torch.tensor([0.0]), "same.x": torch.tensor([0.0])}
        made = train.leaning(last, first, 0.25)
        self.assertEqual((made["x"].item(), made["same.x"].item()), (1.5, 2.0))


if __name__ == "__main__":
    unittest.main()
