"""What can be done with ladders and races, one verb a function."""

from ladder.domain.load import load_everything, load_ladders
from ladder.domain.standing import race_standing
from ladder.domain.start import start_race

__all__ = ["load_everything", "load_ladders", "race_standing", "start_race"]
