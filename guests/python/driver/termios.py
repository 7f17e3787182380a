"""The settings of terminals belong to the outside of the sandbox: asking for them fails as for what is no terminal."""

TCSANOW, TCSADRAIN, TCSAFLUSH = range(3)
TCIFLUSH, TCOFLUSH, TCIOFLUSH = range(3)
ECHO, ECHOE, ECHOK, ECHONL, ICANON, ISIG, IEXTEN = 8, 16, 32, 64, 2, 1, 32768
BRKINT, ICRNL, INPCK, ISTRIP, IXON, IXOFF, IXANY, IGNBRK, PARMRK, INLCR, IGNCR, IUCLC, IMAXBEL = (
    2, 256, 16, 32, 1024, 4096, 2048, 1, 8, 64, 128, 512, 8192,
)
OPOST, CSIZE, PARENB, CS8, CSTOPB, CREAD, HUPCL, CLOCAL = 1, 48, 256, 48, 64, 128, 1024, 2048
NOFLSH, TOSTOP, ECHOCTL, ECHOPRT, ECHOKE, FLUSHO, PENDIN = 128, 256, 512, 1024, 2048, 4096, 16384
VMIN, VTIME, VINTR, VQUIT, VERASE, VKILL, VEOF = 6, 5, 0, 1, 2, 3, 4
TIOCGWINSZ = 0x5413


class error(Exception):
    pass


def _refuse(fd, *_):
    raise error(25, "Inappropriate ioctl for device")


tcgetattr = tcsetattr = tcflush = tcdrain = tcflow = tcsendbreak = tcsetwinsize = _refuse


def tcgetwinsize(fd, /):
    """Get the tty winsize for file descriptor fd as (ws_row, ws_col)."""
    import os

    try:
        columns, lines = os.get_terminal_size(fd if isinstance(fd, int) else fd.fileno())
    except OSError as failure:
        raise error(failure.errno, failure.strerror) from None
    return lines, columns
