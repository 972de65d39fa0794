"""Group conversations with known ground truth (GroupMemBench, section 3.2 and App. A to D).

From a pack and a policy to files, in four passes:

    scaffold    `packs`, `policy` and their readers (`pack_file`, `pack_checks`, `policy_file`, `policy_checks`) ->
                `scaffolding` draws a `scaffold`; `graph` shows it
    structure   `structure` walks it message by message: `clock` says when, `paths` and `weights` where and who,
                `parents` and `phase_state` keep count, `realism` roughens; out come `slots`
    content     `content` says what each slot tells: `phase_plan` moves facts about `items` (with `values`, `phrases`,
                `held`), `posts`, `replies`, `noises` choose the moves, `arguments` and `changes` reverse decisions
    writing     `plans` (with `wording`, `dates`) tells a writer, `situation` and `ledger` show what was said; `writing`
                has it written, keeps a `journal`, and has `verify` look up what is stated; `corpus`, `truth`: the files

`base` and `packs` are the contract with writers (`writers`); `making` carries out an order; `stats` counts a corpus.
"""
