-- First element of each reply; twin of script-replies.ts.
local DONE, NO_BOARD, OTHER_DEFINITION, BEHIND, EXISTS, SUPERSEDED, WRONG_CHUNK, WRONG_SUM = 0, 1, 2, 3, 4, 5, 6, 7
