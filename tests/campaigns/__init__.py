"""Campaigns: what the service promises, attacked until a promise breaks or a figure is reached.

Each campaign is one module of this package, named as the campaign is: `kill9.py` is KILL9. It has

    CAMPAIGN = Campaign(
        name="KILL9",
        promise="no acknowledged action is lost or doubled when workers are killed",
        run=run,                             # run(run: Run) -> Figures
        short={"kills": 5, "actions": 400},  # for CI: at most 15 s of CPU, all campaigns together 90 s
        long={"kills": 300, "actions": 100_000},
    )

`run` takes a `Run`: a number of its scale is `run["kills"]`, chance comes from `run.rng`, the folder `run.folder`
is gone afterwards, `run.say` tells how far it is. It returns the figures, of which `operations`, how much
was tried, must be there and above 0. It raises `Finding` (or fails an assertion) where a promise is broken, and
`Skipped` with the reason where this machine cannot run it. It leaves no process behind, whatever happens. `teeth`
names planted bugs (`run.plant`) that the short form must find. All that is no campaign lies in `harness/`.

    ./run campaign                           # which there are
    ./run campaign KILL9                     # the short form
    ./run campaign KILL9 --long --seed 7     # prints name, figures, seed, and the command to run it again
    ./run campaign KILL9 --set kills=50      # another number of the scale

`test_campaigns.py` runs the short forms, with a fixed seed, among the other tests. A wait is for a condition, and
its bound is so generous (60 s and more) that only what is broken reaches it.
"""
