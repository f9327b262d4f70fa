package bank;

/** The one account of this bank. */
public final class Account {
    private static Account open;

    private int balance;

    private Account() {
    }

    public static synchronized void open() {
        open = new Account();
    }

    public static synchronized Account current() {
        if (open == null) {
            throw new IllegalStateException("no account is open");
        }
        return open;
    }

    public synchronized int deposit(int amount) {
        balance += amount;
        return balance;
    }
}
