/** The Chromium of the journeys. */
import { existsSync } from 'node:fs'
import { ensureInstalled } from '../apt.mjs'

/** The same engine without windows, which it would draw for each page: a third less time. */
const SHELL = '/usr/bin/chromium-headless-shell'
const CHROMIUM = '/usr/bin/chromium'

/** @returns the path of the browser, whether it is there or not */
export const browser = () => (existsSync(SHELL) ? SHELL : CHROMIUM)

/** Installs one where that can be done. @returns whether there is one */
export const ensureBrowser = () =>
  ensureInstalled(SHELL, 'chromium-headless-shell', 'fonts-dejavu-core', 'fonts-noto-cjk') || existsSync(CHROMIUM)
