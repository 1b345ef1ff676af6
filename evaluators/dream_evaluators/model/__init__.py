"""The frozen records that everything else passes around.

Inside the library these are dataclasses (60 pydantic models would cost 75 ms of start-up);
pydantic stands only at the borders: tool results, judge answers, stored JSON.
"""
