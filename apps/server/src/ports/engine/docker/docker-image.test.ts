import { expect, test } from 'vitest'
import { parseImage } from './docker-image.ts'

const digest = `sha256:${'0a'.repeat(32)}`

test.each([
  ['busybox', 'docker.io', 'busybox', 'latest'],
  ['ctf/web-1:v2', 'docker.io', 'ctf/web-1', 'v2'],
  ['registry.example.org/a/b', 'registry.example.org', 'registry.example.org/a/b', 'latest'],
  ['127.0.0.1:5000/a:1.2', '127.0.0.1:5000', '127.0.0.1:5000/a', '1.2'],
  ['localhost/a', 'localhost', 'localhost/a', 'latest'],
  ['[::1]:5000/a', '[::1]:5000', '[::1]:5000/a', 'latest'],
  [`a@${digest}`, 'docker.io', 'a', digest],
  [`example.org:443/a/b:tag@${digest}`, 'example.org:443', 'example.org:443/a/b', digest],
])('%s', (text, registry, repository, version) => {
  expect(parseImage(text)).toEqual({ registry, repository, version })
})

test.each([
  '',
  'UPPER',
  'a:',
  'a//b',
  '/a',
  'a/',
  'a b',
  '../../containers/json',
  'a/../b',
  'a:tag:more',
  'a@sha256:12',
  `a@${digest}@${digest}`,
  'a?b=c',
  'a#b',
  'example.org:99999999/a',
  'http://example.org/a',
  `${'a'.repeat(600)}`,
])('%j is not a valid image name', (text) => {
  expect(parseImage(text)).toBeNull()
})
