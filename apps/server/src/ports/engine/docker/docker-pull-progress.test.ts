import { expect, test } from 'vitest'
import { openPullProgress } from './docker-pull-progress.ts'

const bytes = (current: number, total: number) => ({ progressDetail: { current, total } })

test('layers count by their size, a download as seven tenths of the work, and the percentage never decreases', () => {
  const after = openPullProgress()
  expect(after({ status: 'Pulling from team/web', id: '1' })).toBeNull()
  expect(after({ status: 'Pulling fs layer', id: 'a' })).toBe(0)
  expect(after({ status: 'Downloading', id: 'a', ...bytes(50, 100) })).toBe(35)
  // A layer of unknown size counts as an average one.
  expect(after({ status: 'Pulling fs layer', id: 'b' })).toBe(35)
  expect(after({ status: 'Download complete', id: 'a' })).toBe(35)
  expect(after({ status: 'Downloading', id: 'b', ...bytes(150, 300) })).toBe(44)
  expect(after({ status: 'Verifying Checksum', id: 'b' })).toBe(70)
  expect(after({ status: 'Extracting', id: 'b', ...bytes(150, 300) })).toBe(81)
  expect(after({ status: 'Pull complete', id: 'b' })).toBe(93)
  // The image is ready after its layers.
  expect(after({ status: 'Pull complete', id: 'a' })).toBe(99)
  expect(after({ status: 'Digest: sha256:00' })).toBe(99)
})

test('layers that are there count as done', () => {
  const after = openPullProgress()
  expect(after({ status: 'Already exists', id: 'a' })).toBe(99)
  expect(after({ status: 'Waiting', id: 'b' })).toBe(99)
  expect(after({ status: 'Downloading', id: 'b', ...bytes(0, 0) })).toBe(99)
})
