/** The Chromium of the journeys. */
import { existsSync } from 'node:fs'
import { ensureInstalled } from '../apt.mjs'

/** The same engine without drawing a window for each page, which saves a third of the time. */
const SHELL = '/usr/bin/chromium-headless-shell'
const CHROMIUM = '/usr/bin/chromium'

/** @returns the path of the browser, whether or not it is installed */
export const browser = () => (existsSync(SHELL) ? SHELL : CHROMIUM)

/** Installs a browser if possible. @returns whether one is installed */
export const ensureBrowser = () =>
  ensureInstalled(SHELL, 'chromium-headless-shell', 'fonts-dejavu-core', 'fonts-noto-cjk') || existsSync(CHROMIUM)
