/** How well a text matches: all typed characters in order, with bonuses for adjacent ones and starts of words. 0: no match. */
export function matchScore(typed: string, text: string): number {
  const [wanted, words] = [plain(typed), plain(text)]
  if (wanted === '') return 1
  let score = 0
  let at = -1
  let run = 0
  for (const sign of wanted) {
    const found = words.indexOf(sign, at + 1)
    if (found < 0) return 0
    run = found === at + 1 ? run + 1 : 0
    score += 1 + run * 2 + (found === 0 || /[\s\-_/#(.:]/.test(words[found - 1] ?? '') ? 3 : 0)
    at = found
  }
  // Among equal matches the shorter text ranks higher.
  return score + 1 / (words.length + 1)
}

/** Ignores accents, letter case and outer whitespace. */
const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
