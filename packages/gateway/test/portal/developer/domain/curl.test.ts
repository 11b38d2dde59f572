import { diffOf } from '@tollgate/portal-contract/request-diff'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { suite, test } from 'node:test'
import { curlCommand } from '../../../../src/portal/developer/domain/curl.ts'

/** The arguments that a shell passes to curl, and the pairs that curl makes of them. */
function pairsInShell(command: string): string[] {
  const printed = execFileSync(
    'sh',
    ['-c', `curl() { for part do printf '%s\\036' "$part"; done; }\n${command}`],
    { encoding: 'utf8' },
  )
  const words = printed.split('\x1e').slice(0, -1)
  return words.flatMap((word, at) => {
    const before = words[at - 1]
    if (before === '--data-urlencode') return [word]
    return before === '--data' ? [decodeURIComponent(word)] : []
  })
}

suite('a request of the log as a command', () => {
  test('a shell passes every value unchanged, with any characters in it', () => {
    const values = [
      "O'Neil & sons",
      'a\\b',
      '"quoted" $HOME `id`',
      '100%',
      'two\nlines',
      "'; rm -rf / #",
      'straße ☂',
      '!!',
      '',
      'a=b&c=d',
      '@file',
    ]
    const parameters = Object.fromEntries(values.map((value, at) => [`XTL_UDF0${at}`, value]))

    const command = curlCommand('http://localhost:8080/payment/pmt_service.cfm', parameters)
    assert.deepEqual(
      pairsInShell(command),
      values.map((value, at) => `XTL_UDF0${at}=${value}`),
    )
  })

  test('a value that was never kept is named in angle brackets', () => {
    const command = curlCommand('http://localhost/x', {
      REQ_PASSWORD: '[removed]',
      PMT_NUMB: '411111******1111',
      CAVV: '[removed]',
      XTL_UDF01: 'card 411111******1111!',
      UNKNOWN_PARAMETERS: ['A'],
      WARNINGS: ['3-D Secure was skipped.'],
    })
    assert.deepEqual(pairsInShell(command), [
      'REQ_PASSWORD=<password>',
      'PMT_NUMB=<card number>',
      'CAVV=<cavv>',
      'XTL_UDF01=card <card number>!',
    ])
  })
})

suite('two requests side by side', () => {
  test('only differing values are marked as such, and missing ones are absent', () => {
    assert.deepEqual(
      diffOf(
        [
          ['A', '1'],
          ['B', '2'],
          ['C', ''],
        ],
        [
          ['A', '1'],
          ['B', '3'],
          ['D', '4'],
        ],
      ),
      [
        { name: 'A', left: '1', right: '1', differs: false },
        { name: 'B', left: '2', right: '3', differs: true },
        { name: 'C', left: '', right: null, differs: true },
        { name: 'D', left: null, right: '4', differs: true },
      ],
    )
  })
})
