// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The weights of the search. search_ranking.py computes the same scores when the documentation is built.
const query = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase().trim();
const words = query.split(/[^\p{L}\p{N}_]+/u).filter((word) => word);

var Scorer = {
  // The function of a name comes first, before methods of the name. A page whose title has a word of the query comes
  // before one with a heading that has it, a guide before the reference, and the page of a group before the pages of
  // its functions, which repeat the words of one another.
  score: (result) => {
    const [docname, title, anchor, descr, score, filename, kind] = result;
    if (kind === "object") {
      const parts = title.toLowerCase().split(".");
      return score - parts.length + (words.includes(parts[parts.length - 1]) ? 10 : 0);
    }
    if (kind === "index") {
      result[2] = ""; // without an anchor, so that it and the same page's text are one result
      return docname === "glossary" ? Math.floor(score / 10) : score; // after the page that explains the term
    }
    const pageTitle = title.toLowerCase().split(" > ")[0];
    const weight = /^(reference\/generated|gallery|changelog)/.test(docname) ? 4 : docname.startsWith("reference/") ? 2 : 0;
    return score - weight + (words.some((word) => pageTitle.includes(word)) ? 6 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
