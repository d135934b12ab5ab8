import { expect, test } from 'vitest'
import { readMailLink } from './mail-link.ts'

const link = (query: string) => readMailLink(new URLSearchParams(query))

test('VER-1 a link without token or address is no link', () => {
  expect(link('token=abc')).toBeUndefined()
  expect(link('email=YUBiLmM=')).toBeUndefined()
})

test('VER-2 an address that cannot be read is no link and breaks nothing', () => {
  expect(link('token=abc&email=%25%25%25')).toBeUndefined()
  expect(link('token=abc&email=//79')).toBeUndefined()
  expect(link(`token=abc&email=${btoa('nobody')}`)).toBeUndefined()
})

test('token and address are passed on unchanged', () => {
  expect(link('token=a+b=&email=YUBiLmM=')).toEqual({ token: 'a+b=', email: 'YUBiLmM=', address: 'a@b.c' })
})
