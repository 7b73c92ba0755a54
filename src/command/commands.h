/* One line per command: its function gets argv with the command's name in argv[0] and returns the
 * exit status. Each is defined in its own `*_command.c`. */
#ifndef CULPRIT_COMMAND_COMMANDS_H
#define CULPRIT_COMMAND_COMMANDS_H
int cases_command(int argc, char **argv);
int show_command(int argc, char **argv);
int reduce_command(int argc, char **argv);
int export_command(int argc, char **argv);
int explain_command(int argc, char **argv);
int investigate_command(int argc, char **argv);
int compilers_command(int argc, char **argv);
int complete_command(int argc, char **argv);
int enter_command(int argc, char **argv);
int report_command(int argc, char **argv);
int serve_command(int argc, char **argv);
int trace_command(int argc, char **argv);
int coverage_command(int argc, char **argv);
int isolate_command(int argc, char **argv);
int campaign_command(int argc, char **argv);
int hunt_command(int argc, char **argv);

int mutate_command(int argc, char **argv);
#endif
