import { endpoint } from './endpoint.ts'

export const health = endpoint('GET /healthz', {
  access: 'anyone',
  unguarded: true,
  beforeSetUp: true,
  summary: '200 `Healthy` while requests can be served, else 503',
  sends: 'text',
  types: ['text/plain'],
})

export const readiness = endpoint('GET /healthz/ready', {
  access: 'anyone',
  unguarded: true,
  beforeSetUp: true,
  ours: true,
  summary: '200 while this node wants new requests, else 503',
  sends: 'text',
  types: ['text/plain'],
})

export const description = endpoint('GET /api/openapi.json', {
  access: 'anyone',
  unguarded: true,
  beforeSetUp: true,
  ours: true,
  summary: 'This description, for programs',
  sends: 'page',
  types: ['application/json'],
})

export const descriptionPage = endpoint('GET /api/docs', {
  access: 'anyone',
  unguarded: true,
  beforeSetUp: true,
  ours: true,
  summary: 'This description, for people',
  sends: 'page',
  types: ['text/html'],
})

export const webPage = endpoint('GET /*', {
  access: 'anyone',
  unguarded: true,
  beforeSetUp: true,
  summary: 'The web: every address that is nothing else and has no dot in its last part',
  sends: 'page',
  types: ['text/html'],
  throws: ['request.not_found'],
})
