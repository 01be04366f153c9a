"""What is written for people and programs: files that are complete or not there, and what all pages share."""
