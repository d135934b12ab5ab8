/** Whether all is walked, as `npm run proof` does. `npm test` takes what a change breaks most likely. */
export const isProof = process.env.VEXIL_JOURNEYS === 'proof'
