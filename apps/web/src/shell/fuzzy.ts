/** How well a text fits what was typed: its characters in order, better where they are adjacent or begin words. 0: not at all. */
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
  // Of two that fit alike the shorter one is meant.
  return score + 1 / (words.length + 1)
}

/** Without accents, letter case and blanks at the ends. */
const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
