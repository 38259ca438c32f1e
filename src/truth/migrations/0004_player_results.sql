-- One player's results, for folding them anew. Days that are made later copy the index from here.

CREATE INDEX match_results_player ON match_results (player_id, achieved_at);
