/* The script of a job array; see campaign_submit.h. */
#include "command/campaign/campaign_submit.h"

#include "base/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

Str submit_script(Arena *arena, const SubmitSpec *spec) {
    Buf out = { 0 };
    buf_fmt(&out, "#!/bin/sh\n#SBATCH --job-name=culprit-%lld\n#SBATCH --array=0-%llu\n",
            (long long)spec->campaign, (unsigned long long)spec->nodes - 1);
    if (spec->partition) buf_fmt(&out, "#SBATCH --partition=%s\n", spec->partition);
    if (spec->time) buf_fmt(&out, "#SBATCH --time=%s\n", spec->time);
    if (spec->cores)
        buf_fmt(&out, "#SBATCH --cpus-per-task=%llu\n", (unsigned long long)spec->cores);
    else
        buf_text(&out, "#SBATCH --exclusive\n");
    buf_text(&out, "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --requeue\n"
                   "#SBATCH --signal=B:TERM@60\n#SBATCH --open-mode=append\n"
                   "# working files on the node's own disk, never in the shared home\n"
                   "export TMPDIR=\"${SLURM_TMPDIR:-/tmp}\"\nunset CULPRIT_STORE\nexec ");
    const char *const words[] = {
        spec->culprit, "hunt",    "--store",
        spec->store,   "--join",  arena_fmt(arena, "%lld", (long long)spec->campaign),
        "--trust",     "--quiet", NULL
    };
    buf_str(&out, shell_join(arena, words));
    buf_text(&out, " --jobs \"${SLURM_CPUS_ON_NODE:-1}\"\n");
    Str text = arena_str(arena, buf_view(&out));
    buf_release(&out);
    return text;
}

bool submit_now(Str script, Error *err) {
    int fd = memfd_create("culprit-sbatch", 0);
    if (fd < 0 || write(fd, script.at, script.len) != (ssize_t)script.len ||
        lseek(fd, 0, SEEK_SET) != 0 || dup2(fd, STDIN_FILENO) < 0)
        return err_write(err, "cannot hand the script to sbatch");
    execlp("sbatch", "sbatch", (char *)NULL);
    if (errno == ENOENT)
        return err_set(err, STATUS_LACKS,
                       "there is no sbatch here (Debian's slurm-client has it); --print shows the "
                       "script");
    return err_errno(err, "cannot start sbatch");
}
