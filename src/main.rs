//! The `pi-graphite` command.

fn main() -> std::process::ExitCode {
    pi_graphite::front::cli::main()
}
