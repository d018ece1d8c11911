# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""JSON on stdout is JSON, whatever names it holds."""

import json
import os

from command import PUSH, Case, main


class Json(Case):
    def test_strange_names_come_back(self):
        with open(PUSH, encoding='utf-8') as file:
            text = file.read().replace('xyz: [0, 0, 0.05]', 'xyz: [0, 0, 0.04]')
        name = 'a "b" \\ c\td é.yaml'
        self.write(name, text)
        warnings = json.loads(self.run_command('check', name, '--json').stdout)['warnings']
        self.assertTrue(warnings)
        self.assertTrue(all(warning.startswith(name + ':') for warning in warnings), warnings)

    def test_bytes_that_are_no_utf8_become_a_sign(self):
        # such a name made output that no reader of JSON accepts
        with open(PUSH, encoding='utf-8') as file:
            text = file.read().replace('xyz: [0, 0, 0.05]', 'xyz: [0, 0, 0.04]')
        name = os.fsdecode(b'a\xff\xc3.yaml')
        self.write(name, text)
        warnings = json.loads(self.run_command('check', name, '--json').stdout)['warnings']
        self.assertTrue(warnings)
        self.assertTrue(all(warning.startswith('a\ufffd\ufffd.yaml:') for warning in warnings), warnings)


if __name__ == '__main__':
    main()
