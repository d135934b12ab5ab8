import { expect, test, vi } from 'vitest'
import { acceptedLanguage } from './language.ts'

test('only the first 512 characters of Accept-Language count, and at most 1,000 headers are kept', () => {
  expect([acceptedLanguage(`${'x,'.repeat(255)}ja`), acceptedLanguage(`${'x,'.repeat(256)}ja`)]).toEqual(['ja_JP', 'en_US'])
  const set = vi.spyOn(Map.prototype, 'set')
  try {
    for (let i = 1; i <= 1_001; i++) expect(acceptedLanguage(`zh;q=0.${i}`)).toBe('zh_CN')
    const kept = set.mock.contexts[set.mock.calls.findIndex(([key]) => key === 'zh;q=0.1001')] as Map<string, string>
    expect(kept.size).toBeLessThanOrEqual(1_000)
    expect([kept.get('zh;q=0.1001'), acceptedLanguage('zh;q=0.1')]).toEqual(['zh_CN', 'zh_CN'])
  } finally {
    set.mockRestore()
  }
})
