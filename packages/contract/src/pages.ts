import { endpoint } from './endpoint.ts'

export const health = endpoint('GET /healthz', {
  access: 'anyone',
  unguarded: true,
  beforeSetUp: true,
  summary: 'Get the liveness of this node',
  sends: 'text',
  types: ['text/plain'],
})

export const readiness = endpoint('GET /healthz/ready', {
  access: 'anyone',
  unguarded: true,
  beforeSetUp: true,
  ours: true,
  summary: 'Get the readiness of this node',
  sends: 'text',
  types: ['text/plain'],
})

export const description = endpoint('GET /api/openapi.json', {
  access: 'anyone',
  unguarded: true,
  beforeSetUp: true,
  ours: true,
  summary: 'Get this description as OpenAPI',
  sends: 'page',
  types: ['application/json'],
})

export const descriptionPage = endpoint('GET /api/docs', {
  access: 'anyone',
  unguarded: true,
  beforeSetUp: true,
  ours: true,
  summary: 'Get this description as a page',
  sends: 'page',
  types: ['text/html'],
})

export const webPage = endpoint('GET /*', {
  access: 'anyone',
  unguarded: true,
  beforeSetUp: true,
  summary: 'Get the web client, for every other path without a dot in its last part',
  sends: 'page',
  types: ['text/html'],
  throws: ['request.not_found'],
})
