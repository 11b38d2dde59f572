import { loadConfig } from '@tollgate/gateway/config'
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { announcement } from '../src/announcement.ts'
import { simulatedBankPage } from '../src/simulated-bank-page.ts'

test("the bank's page for 3-D Secure is announced where the bank wrote down that it has one", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-page-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  assert.equal(await simulatedBankPage(dataDir), null)

  mkdirSync(join(dataDir, 'bank', 'three-ds'), { recursive: true })
  const addresses = {
    dsUrl: 'https://localhost:8585/ds',
    acsUrl: 'https://localhost:8586/acs/creq',
  }
  writeFileSync(join(dataDir, 'bank', 'three-ds', 'addresses.json'), JSON.stringify(addresses))
  const page = await simulatedBankPage(dataDir)
  assert.equal(page, 'https://localhost:8586/')

  const loaded = loadConfig({ DATA_DIR: dataDir })
  assert.ok(loaded.ok)
  assert.match(announcement(loaded.config, page), /3-D Secure {2}https:\/\/localhost:8586\/ /)
  assert.doesNotMatch(announcement(loaded.config, null), /3-D Secure/)
})
