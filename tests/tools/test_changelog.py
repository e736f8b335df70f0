"""A release takes the notes, newest release first, and leaves none behind."""

from __future__ import annotations

from pathlib import Path

import pytest

import changelog


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "README.md").write_text("How.\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\nIntroduction.\n")
    return tmp_path


def test_two_releases_stand_newest_first(root: Path) -> None:
    (root / "changes" / "pie.added.md").write_text("PIE.\n")
    changelog.main(root, "0.1.0", "2026-12-01")
    (root / "changes" / "red.fixed.md").write_text("RED no longer\nforgets.\n")
    (root / "changes" / "codel.added.md").write_text("CoDel.\n")
    changelog.main(root, "0.2.0", "2027-01-31")
    assert (root / "CHANGELOG.md").read_text() == (
        "# Changelog\n\nIntroduction.\n"
        "\n## 0.2.0 (2027-01-31)\n\n### Added\n\n* CoDel.\n\n### Fixed\n\n* RED no longer forgets.\n"
        "\n## 0.1.0 (2026-12-01)\n\n### Added\n\n* PIE.\n"
    )
    assert [path.name for path in (root / "changes").iterdir()] == ["README.md"]


def test_a_release_without_notes_is_refused(root: Path) -> None:
    with pytest.raises(SystemExit, match="no notes"):
        changelog.main(root, "0.1.0", "2026-12-01")


def test_notes_after_a_section_was_written_are_added_to_it(root: Path) -> None:
    (root / "CHANGELOG.md").write_text(
        "# Changelog\n\nIntroduction.\n"
        "\n## 0.2.0 (2027-01-30)\n\nSummary.\n\n### Queues\n\n* All.\n\n### Added\n\n* PIE.\n"
        "\n## 0.1.0 (2026-12-01)\n\n### Added\n\n* RED.\n"
    )
    (root / "changes" / "codel.added.md").write_text("CoDel.\n")
    (root / "changes" / "red.fixed.md").write_text("RED forgets.\n")
    changelog.main(root, "0.2.0", "2027-01-31")
    assert (root / "CHANGELOG.md").read_text() == (
        "# Changelog\n\nIntroduction.\n"
        "\n## 0.2.0 (2027-01-31)\n\nSummary.\n\n### Queues\n\n* All.\n\n### Added\n\n* PIE.\n* CoDel.\n"
        "\n### Fixed\n\n* RED forgets.\n"
        "\n## 0.1.0 (2026-12-01)\n\n### Added\n\n* RED.\n"
    )


def test_a_section_that_begins_with_its_items_gets_no_blank_lines(root: Path) -> None:
    section = "\n## 0.1.0 (2026-12-01)\n\n### Added\n\n* RED.\n"
    (root / "CHANGELOG.md").write_text(f"# Changelog\n\nIntroduction.\n{section}")
    (root / "changes" / "pie.added.md").write_text("PIE.\n")
    changelog.main(root, "0.1.0", "2026-12-01")
    assert (root / "CHANGELOG.md").read_text() == f"# Changelog\n\nIntroduction.\n{section}* PIE.\n"
