# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The version menu of the documentation."""

import json
import sys

import pytest

from tests.python.project.test_docs import DOCS

sys.path.insert(0, str(DOCS))
import versions

sys.path.remove(str(DOCS))


@pytest.fixture
def html(tmp_path):
    folder = tmp_path / "html"
    folder.mkdir()
    (folder / "index.html").write_text("pages")
    return folder


def test_a_local_build_has_no_version_menu():
    assert versions.menu("") == {}


def test_the_menu_reads_its_list_from_the_site():
    menu = versions.menu("0.1.0")
    assert menu["switcher"]["json_url"] == versions.site_url() + "switcher.json"
    assert menu["switcher"]["version_match"] == "0.1.0"
    assert "version-switcher" in menu["navbar_end"]
    assert menu["check_switcher"] is False


def test_the_list_has_dev_first_and_releases_by_number(html, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    versions.publish(html, site, "dev")
    assert "url=dev/index.html" in (site / "index.html").read_text()
    for version in ("0.9.0", "0.10.0", "0.2.0"):
        versions.publish(html, site, version)
    rows = json.loads((site / "switcher.json").read_text())
    assert [row["version"] for row in rows] == ["dev", "0.10.0", "0.9.0", "0.2.0"]
    assert [row["name"] for row in rows if row.get("preferred")] == ["0.10.0 (stable)"]
    assert rows[2]["url"] == versions.site_url() + "0.9.0/"
    assert "url=0.10.0/index.html" in (site / "index.html").read_text()


def test_a_version_is_published_again_in_place(html, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    versions.publish(html, site, "0.1.0")
    (html / "index.html").write_text("corrected")
    versions.publish(html, site, "0.1.0")
    assert (site / "0.1.0" / "index.html").read_text() == "corrected"
    assert len(json.loads((site / "switcher.json").read_text())) == 1


def test_what_is_not_a_version_is_not_published(html, tmp_path):
    with pytest.raises(ValueError, match="invalid literal"):
        versions.publish(html, tmp_path, "latest")
    assert not (tmp_path / "switcher.json").exists()
