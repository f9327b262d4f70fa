fn main() {
    parade::process::keeper::main_if_called();
}
