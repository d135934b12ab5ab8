/** Runs before each test file of the web: each loads the modules of the web again, since some of the files replace them. */
import { vi } from 'vitest'

vi.resetModules()
