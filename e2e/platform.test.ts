import { expect, test, vi } from 'vitest'
import { freePort } from './platform.ts'

test('a port is chosen once, also before anything listens at it', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValueOnce(0.5).mockReturnValueOnce(0.5)
  try {
    const [first, second] = [await freePort(), await freePort()]
    expect(random.mock.calls.length).toBeGreaterThanOrEqual(3)
    expect(second).not.toBe(first)
  } finally {
    random.mockRestore()
  }
})
