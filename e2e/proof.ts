/** Whether all journeys run, as in `npm run proof`. `npm test` runs those that a change is most likely to break. */
export const isProof = process.env.VEXIL_JOURNEYS === 'proof'
