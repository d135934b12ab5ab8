import { createHash } from 'node:crypto'
import { challengeSalt, gameSalt, maskSeed, teamHash } from '@vexil/core/flags'
import { expect, test } from 'vitest'
import { makeGameKeys, signTeamToken } from './game-keys.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const secret = Buffer.from('helloworld')
const seed = Uint8Array.from({ length: 32 }, (_, i) => i)

test('P5.17 token, salts and hash equal the published vector', () => {
  const stored = Buffer.from(maskSeed(seed, secret)).toString('base64')
  expect(stored).toBe('aGRub2tyaXVkbWJuYGFheH9jfnd8cHp7d251aXB5dno=')
  const token = signTeamToken(stored, secret, 12)
  expect(token).toBe('12:jDETKu7ihQpzHP+7VkQG86MxVA5Chd7lKXHB2JdWhjw6bRxn+tWPHNVnPmNu/TIK5SDgCA7Wp6pZXhvWwac0BQ==')
  const salt = gameSalt(stored, sha256)
  expect(salt).toBe('f59f48e58d4f19e1274a306908ed9520dd3847e11a17e298b2c0348d98ae4e12')
  const ofChallenge = challengeSalt(salt, 7, sha256)
  expect(ofChallenge).toBe('a019b2b75bde3f5443ebf8986b05b96a2345e61d63140b6e16a54c3d81777d1d')
  expect(teamHash(ofChallenge, token, sha256)).toBe('e40cc9af2c80')
})

test('P3.17 a new pair has 44 characters of Base64 each', () => {
  const { publicKey, privateKey } = makeGameKeys(secret)
  expect([publicKey.length, privateKey.length]).toEqual([44, 44])
})
