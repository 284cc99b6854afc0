"""`strada doctor` as a person types it: all of it, in four languages, in 80 columns, with its exit status."""

import ast
import json
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion import doctor
from companion.cli.doctor import command, sentences
from companion.doctor import Finding, Grade
from companion.doctor.devices import TROUBLES
from companion.terminal import columns_of
from companion.words import LANGUAGES
from companion.words.doctor import COUNTED, DoctorVoice
from companion.words.machine import ADVICE, CHECKS, FOUND, GRADES
from tests.typed import Refused, Strada

#: Codes that belong to no single check.
COMMON = {"failed", "late", "hidden"}
NO_CAMERA = "[camera]\nkind = 'folder'\nfolder = '/no/such/folder'\n"


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "strada.toml"
    path.write_text(f"[web]\nport = 0\n[logbook]\nfolder = '{tmp_path}/books'\n")
    return path


def test_a_machine_without_a_pi_is_looked_at_whole(strada: Strada, settings: Path) -> None:
    status, out, _ = strada("doctor", "--settings", settings, "--json")
    shown = json.loads(out)
    assert [each["check"] for each in shown["checks"]] == list(CHECKS)
    grades = {each["check"]: (each["grade"], each["code"]) for each in shown["checks"]}
    assert not [each for each in shown["checks"] if each["code"] in COMMON]
    expected = {"settings": ("ok", "settings"), "camera": ("ok", "camera-drawn"), "logbook": ("ok", "logbook-none")}
    assert grades.items() >= expected.items()
    assert status == (1 if shown["to_do"] else 0)
    assert not (settings.parent / "books").exists(), "nothing is made"


def test_what_is_to_be_done_is_told_by_the_exit_status(strada: Strada, settings: Path) -> None:
    settings.write_text(settings.read_text() + NO_CAMERA)
    status, out, complaint = strada("doctor", "--settings", settings, "--lang", "de")
    assert (status, complaint) == (1, "")
    assert "/no/such/folder" in out


def test_settings_that_cannot_be_used_are_a_finding_and_the_rest_is_looked_at(strada: Strada, tmp_path: Path) -> None:
    status, out, _ = strada("doctor", "--settings", tmp_path / "none.toml", "--json")
    shown = json.loads(out)["checks"]
    assert (status, shown[0]["code"], len(shown)) == (1, "settings-bad", len(CHECKS) - 7)


def test_an_unknown_option_is_bad_input(refused: Refused) -> None:
    assert "--colour" in refused("doctor", "--colour")


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_fit_a_terminal_and_stand_in_columns(strada: Strada, settings: Path, language: str) -> None:
    _, out, _ = strada("doctor", "--settings", settings, "--language", language)
    lines = out.rstrip("\n").splitlines()
    voice = DoctorVoice(language=language)
    margin = max(len(voice.grade(each)) for each in GRADES) + max(len(voice.check(each)) for each in CHECKS) + 4
    beside = str(settings.parent)
    assert all(columns_of(line) <= 80 for line in lines if beside not in line)
    for line in lines[:-2]:
        assert line[margin - 1] == " "
        assert line[margin] != " " or line[:margin].isspace(), "an advice goes on two columns further in"
    assert lines[-1] in {voice.sum(number) for number in range(20)}


# What is said


def findings() -> Iterator[tuple[str, ast.expr, list[ast.keyword]]]:
    """Yield every place where something is found: its grade, its code and its facts."""
    for path in Path(str(doctor.__file__)).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            is_named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args
            if is_named and node.func.id in [grade.name.lower() for grade in Grade]:
                yield node.func.id, node.args[0], node.keywords


def codes(code: ast.expr) -> list[str]:
    if isinstance(code, ast.IfExp):
        return [*codes(code.body), *codes(code.orelse)]
    return [code.value] if isinstance(code, ast.Constant) and isinstance(code.value, str) else []


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name} - {"count"}


def test_all_that_is_found_has_its_sentence_and_no_sentence_is_left_over() -> None:
    named = {each for _, code, _ in findings() for each in codes(code)} | {*TROUBLES.values(), "late"}
    assert named == set(FOUND)
    assert set(ADVICE) <= named
    assert {code.partition("-")[0] for code in named - COMMON} == set(CHECKS)


def test_what_is_to_be_done_has_its_advice() -> None:
    to_do = {each for grade, code, _ in findings() if grade == "todo" for each in codes(code)}
    assert to_do | set(TROUBLES.values()) <= set(ADVICE)


def test_every_sentence_gets_the_facts_that_it_names() -> None:
    for _, code, facts in findings():
        given = {fact.arg for fact in facts}
        for each in codes(code):
            texts = [message for table in (FOUND, ADVICE) if each in table for message in (table[each],)]
            for text in (form for message in texts for form in (message.one, message.several)):
                assert places(text) <= given, f"{each}: {text}"
            if any(message.several for message in texts):
                assert given & set(COUNTED), each


@pytest.mark.parametrize(("language", "said"), [("de", "0,4 GB"), ("en", "0.4 GB"), ("fr", "0,4"), ("it", "0,4 GB")])
def test_numbers_are_written_as_each_language_writes_them(language: str, said: str) -> None:
    found = Finding(Grade.OK, "room", {"free": 0.4, "folder": "/srv"})
    assert said in sentences(found, DoctorVoice(language=language))[0]


def test_what_a_machine_says_cannot_steer_a_terminal() -> None:
    found = Finding(Grade.TODO, "camera-fault", {"why": "\x1b[2Jno"})
    assert "\x1b" not in sentences(found, DoctorVoice())[0]


def test_help_names_the_exit_status() -> None:
    assert "Exit status 0" in str(command.help)
