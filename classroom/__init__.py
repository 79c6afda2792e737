"""The book in a course: assignments handed out, and marked when they come back.

Run from the top of the repository: `make assignments`, `make grade SUBMISSIONS=folder`.
"""
