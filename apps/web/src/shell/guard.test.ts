// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { validParams } from './guard.tsx'
import { reaches } from './session.ts'

test('GUARD-11 numbers that are not positive integers and post ids that do not have eight characters are invalid addresses', () => {
  expect(validParams({ id: '12', chalId: '3' })).toBe(true)
  expect(validParams({ postId: '0123abcd' })).toBe(true)
  for (const postId of ['new', 'NEW', 'New']) expect(validParams({ postId })).toBe(true)
  for (const wrong of ['0', '-1', '1.5', 'abc', '01', '99999999999', '2147483648']) {
    expect(validParams({ id: wrong }), wrong).toBe(false)
    expect(validParams({ id: '1', chalId: wrong }), wrong).toBe(false)
  }
  for (const postId of ['123', '0123abcde']) expect(validParams({ postId })).toBe(false)
})

test('GUARD-5 an equal or higher role is sufficient', () => {
  expect(reaches('Admin', 'Monitor')).toBe(true)
  expect(reaches('Monitor', 'Monitor')).toBe(true)
  expect(reaches('User', 'Monitor')).toBe(false)
  expect(reaches('Banned', 'User')).toBe(false)
  expect(reaches(undefined, 'User')).toBe(false)
})
