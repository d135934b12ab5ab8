/** Form of the printed log: text, or one JSON object per line (`LOG_FORMAT=json`). */
import type { LogLevel } from '@vexil/core/vocabulary'
import type { FastifyBaseLogger, FastifyLoggerOptions } from 'fastify'
import type { LogEntry } from './audit.ts'
import { currentRequest } from './request-trace.ts'

export const logFormats = ['text', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

const nameOf: Readonly<Record<string, LogLevel>> = { warn: 'Warning', error: 'Error', fatal: 'Fatal' }
const levelOf = { Information: 'info', Warning: 'warn', Error: 'error', Fatal: 'fatal' } as const satisfies Record<
  LogLevel,
  string
>

const requestId = () => currentRequest()?.id ?? null

/** Members of each JSON line that a caller does not give. */
const plain = () => ({ name: 'System', status: '', ip: '', requestId: requestId() })

export interface LogOptions {
  readonly level: string
  /** Default: text. */
  readonly format?: LogFormat
  /** Default: the standard output. */
  readonly stream?: { write(line: string): void }
}

/** Options of the logger: each line has the id of the request for which it is written. */
export const loggerOptions = ({ level, format = 'text', stream }: LogOptions): FastifyLoggerOptions & object => ({
  level,
  ...(stream && { stream }),
  ...(format === 'text'
    ? { mixin: () => ({ requestId: requestId() }) }
    : {
        base: null,
        messageKey: 'message',
        timestamp: () => `,"time":"${new Date().toISOString()}"`,
        formatters: { level: (label: string) => ({ level: nameOf[label] ?? 'Information' }) },
        mixin: plain,
      }),
})

/** Prints entries of the administrators' log as JSON lines; with text they are only stored. Faults of calls are printed with their stack instead. */
export const entryPrinter =
  (logger: FastifyBaseLogger, format: LogFormat) =>
  ({ level = 'Information', status, name, ip = '', message, route }: LogEntry): void => {
    if (format === 'json' && route === undefined) logger[levelOf[level]]({ status, name, ip }, message)
  }

/** A line for the operator, such as the address at the start. */
export const printedLine = (line: string, format: LogFormat): string =>
  format === 'text'
    ? line
    : JSON.stringify({ level: 'Information', time: new Date().toISOString(), ...plain(), message: line.trim() })
