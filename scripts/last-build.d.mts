/** Calls `build`, which fills the folder `dist` and returns whether it succeeded; keeps the hashed files of the build before in it. */
export function keepLastBuild(dist: string, build: () => boolean): boolean
