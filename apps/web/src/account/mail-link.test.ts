import { expect, test } from 'vitest'
import { readMailLink } from './mail-link.ts'

const link = (query: string) => readMailLink(new URLSearchParams(query))

test('VER-1 a link without token or address is not valid', () => {
  expect(link('token=abc')).toBeUndefined()
  expect(link('email=YUBiLmM=')).toBeUndefined()
})

test('VER-2 a link with an unreadable address is not valid and causes no error', () => {
  expect(link('token=abc&email=%25%25%25')).toBeUndefined()
  // A byte that is not UTF-8, before an @.
  expect(link('token=abc&email=/0Bh')).toBeUndefined()
  expect(link(`token=abc&email=${btoa('nobody')}`)).toBeUndefined()
})

test('token and address are passed on unchanged', () => {
  expect(link('token=a+b=&email=YUBiLmM=')).toEqual({ token: 'a+b=', email: 'YUBiLmM=', address: 'a@b.c' })
})
