"""Questions: what is asked, how it is searched for, in which order it is shown, and what the answer says of itself."""
