import pytest

from actors.mailbox import MAX_WAITING_URGENT, Mailbox, MailboxFull


def test_messages_come_out_in_the_order_in_which_they_went_in() -> None:
    mailbox: Mailbox[int] = Mailbox()
    for number in range(5):
        mailbox.put(number)
    assert [mailbox.take() for _ in range(6)] == [0, 1, 2, 3, 4, None]


def test_urgent_messages_go_first_and_keep_their_own_order() -> None:
    mailbox: Mailbox[str] = Mailbox()
    mailbox.put("turn")
    mailbox.put("reset", urgent=True)
    mailbox.put("end", urgent=True)
    assert [mailbox.take(), mailbox.take(), mailbox.take()] == ["reset", "end", "turn"]


def test_a_full_mailbox_refuses() -> None:
    mailbox: Mailbox[int] = Mailbox(limit=2)
    mailbox.put(1)
    mailbox.put(2)
    with pytest.raises(MailboxFull):
        mailbox.put(3)
    assert len(mailbox) == 2


def test_the_urgent_lane_is_bounded_and_open_when_the_usual_one_is_full() -> None:
    mailbox: Mailbox[int] = Mailbox(limit=1)
    mailbox.put(0)
    for number in range(MAX_WAITING_URGENT):
        mailbox.put(number, urgent=True)
    with pytest.raises(MailboxFull):
        mailbox.put(1, urgent=True)


def test_usual_messages_can_be_taken_out_without_the_urgent_ones() -> None:
    mailbox: Mailbox[str] = Mailbox()
    mailbox.put("turn")
    mailbox.put("reset", urgent=True)
    assert mailbox.take_usual() == ["turn"]
    assert len(mailbox) == 1
