-- What a submit answers for each result, one digit each; twin of script-replies.ts.
local SKIPPED, APPLIED, NO_RECORD, DUPLICATE, LATE, MARKED, HIDDEN = '0', '1', '2', '3', '4', '5', '6'
