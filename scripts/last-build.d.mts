/** Calls `build`, which fills the folder `dist` and returns whether it succeeded; keeps the hashed files of the previous build in it. */
export function keepLastBuild(dist: string, build: () => boolean): boolean
