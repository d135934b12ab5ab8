import { expect, test } from 'vitest'
import { judge, plot, type Sample } from './soak-figures.ts'

const samples = (change: (minute: number) => Partial<Sample> = () => ({})): Sample[] =>
  Array.from({ length: 31 }, (_, minute) => ({
    minute,
    memory: 500,
    handles: 80,
    connections: 30,
    housekeeping: 9,
    ...change(minute),
  }))

test('what grows before minute 10 only is right', () => {
  expect(
    judge(samples((minute) => ({ memory: Math.min(500, 400 + minute * 10), handles: minute < 10 ? 20 : 84 - (minute % 5) }))),
  ).toEqual([])
})

test('memory, handles, connections and housekeeping tables that grow later are reported', () => {
  expect(judge(samples((minute) => ({ memory: 500 + minute * 1.1 })))).toEqual(['memory rises by 2.2 % in 10 minutes'])
  expect(judge(samples((minute) => ({ memory: 500 + minute * 0.9 })))).toEqual([])
  expect(judge(samples((minute) => ({ handles: 80 + minute })))).toEqual(['handles: 90, at the end 110'])
  expect(judge(samples((minute) => ({ connections: 40 - minute })))).toEqual(['connections: 30, at the end 10'])
  expect(judge(samples((minute) => ({ housekeeping: minute })))).toEqual(['housekeeping tables: 10 rows, at the end 29'])
})

test('a job that is under way at the time of a sample is no growth', () => {
  expect(judge(samples((minute) => ({ housekeeping: minute === 30 ? 2 : 1 })))).toEqual([])
  expect(judge(samples((minute) => ({ housekeeping: minute === 10 ? 2 : 1 })))).toEqual([])
  expect(judge(samples((minute) => ({ housekeeping: minute >= 29 ? 2 : 1 })))).toEqual([
    'housekeeping tables: 1 rows, at the end 2',
  ])
})

test('a run that is too short is not right', () => {
  expect(judge(samples().slice(0, 11))).toEqual(['There are no two samples after minute 10.'])
})

test('the plot has a curve of all samples for each figure', () => {
  const curves = [...plot(samples()).matchAll(/points="([^"]+)"/g)].map(([, points]) => points!.split(' ').length)
  expect(curves).toEqual([31, 31, 31, 31])
})
