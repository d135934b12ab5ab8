import { type Engine, EngineError } from './engine.ts'

const refuse = async () => {
  throw new EngineError('unreachable', 'No container engine is configured')
}

export const noEngine: Engine = {
  kind: 'None',
  create: refuse,
  list: async () => [],
  inspect: async () => null,
  logs: async () => '',
  destroy: async () => undefined,
  listens: async () => false,
  dialsPublished: false,
  readyPollInterval: 1_000,
  destroyOne: async () => undefined,
  reaches: () => false,
  pull: refuse,
  findImage: refuse,
  ping: refuse,
  probe: refuse,
  tryIsolation: refuse,
  close: async () => undefined,
}
